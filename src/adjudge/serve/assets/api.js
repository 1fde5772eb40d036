// Requests to the server: the token against forged ones, what went wrong, and who else has changed something.

const POLL = 60_000;
const page = document.body.dataset;
let csrf = page.csrf;
const load = [...crypto.getRandomValues(new Uint8Array(8))].map((each) => each.toString(16).padStart(2, "0")).join("");
let counted = 0;

// Of this page as it was loaded, not of the tab: a tab that is duplicated would count on with the same name.
export const tab = load;
export const newKey = () => `${load}-${++counted}`;

export class Refused extends Error {
  constructor(status, body) {
    super(body.message || `error ${status}`);
    this.status = status;
    this.body = body;
  }
  // The same request may succeed later, or has to be made again by somebody who is signed in.
  get passes() { return this.status >= 500 || this.status === 429 || this.status === 401; }
}

export const campaignPath = (campaign = page.campaign) => `/api/v1/campaigns/${encodeURIComponent(campaign)}`;
export const scopePath = (scope = page.scope) => `${campaignPath()}/scopes/${encodeURIComponent(scope)}`;

export async function send(method, path, body, again = true) {
  const headers = { "X-Adjudge-Tab": load };
  if (method !== "GET") Object.assign(headers, { "X-CSRF-Token": csrf, "Content-Type": "application/json" });
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
  const found = await answer.json().catch(() => ({ error: "bug", message: `the server answered ${answer.status}` }));
  if (answer.ok) return found;
  if (found.error === "csrf" && again) {  // signed in again in another tab
    csrf = (await send("GET", "/api/v1/me")).csrf;
    return send(method, path, body, false);
  }
  throw new Refused(answer.status, found);
}

// Calls `changed` when somebody else (or this person in another tab) has changed something in this scope.
export function listen(changed) {
  let source;
  const open = () => {
    source = new EventSource("/api/v1/stream");
    source.addEventListener("message", (event) => {
      const change = JSON.parse(event.data);
      if (change.campaign === page.campaign && change.scope === page.scope && change.tab !== load) changed(change);
    });
  };
  open();
  setInterval(() => {  // where nothing can be streamed, ask from time to time
    if (source.readyState !== EventSource.CLOSED) return;
    changed();
    open();
  }, POLL);
}

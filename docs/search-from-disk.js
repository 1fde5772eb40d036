// Browsers start no worker for a page that is opened from a folder. There, a hidden frame does the work of one.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      const program = new URL(address, location);
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inner.importScripts = (...scripts) => Promise.all(scripts.map(load));
      function load(from) {
        return new Promise((done, failed) => {
          const script = inner.document.createElement("script");
          script.src = new URL(from, program);
          script.onload = done;
          script.onerror = failed;
          inner.document.body.append(script);
        });
      }
      this.inner = inner;
      this.ready = load(program);
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }

    terminate() {}
  };
}

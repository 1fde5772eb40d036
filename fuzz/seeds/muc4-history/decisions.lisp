
; decisions
(("M1"
  ("1"
   (perp-ind-id
    ("\"THE MEN\"" match (or "\"MEN\"" "\"GUNMEN\""))
    ("\"ALL\"" partial (all-of "\"A\"" (optional "\"B\"")))
    ("\"NOBODY\"" FAIL))
   (inc-date ((range nil "3 may 90") partial "3 MAY 90")))))

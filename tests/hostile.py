"""Texts that a page must show and not obey."""

MARKUP = (
    "</script><img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "<!--<script>",
    "</noscript><script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %} ${alert(1)}",
)

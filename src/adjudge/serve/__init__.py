"""The workbench and the service: people assess, group and link in the browser; teams submit."""

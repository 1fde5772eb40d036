"""The workbench and the service: people assess, group and link in the browser, and teams submit runs."""

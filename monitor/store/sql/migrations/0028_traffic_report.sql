-- The table of traffic reports has the name that the configuration and the API use. The schedule of the nightly report
-- is stored with its instants: it is renamed too, so that a night that has its report gets no second one.

ALTER TABLE exhibit RENAME TO traffic_report;

UPDATE planned_instant SET schedule = ':traffic_reports' WHERE schedule = ':exhibits';

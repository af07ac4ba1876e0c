-- Which labels do the versions of all deployments have?
SELECT deployment, id, label FROM version

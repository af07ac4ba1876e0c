-- Store the forecast of a run.
UPDATE run SET forecast = $forecast WHERE id = $id

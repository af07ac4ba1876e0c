-- Writes down what a run is expected to take.
UPDATE run SET forecast = $forecast WHERE id = $id

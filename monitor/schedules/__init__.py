"""When schedules run: pure functions of the schedule, its pauses and the time."""

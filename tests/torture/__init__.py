"""`make torture`: kills, races, full disks and damaged files, for as long as one likes."""

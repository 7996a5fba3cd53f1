/* The performance model of Wang 2017 on a device that the table "shuffle" is possible of (report/tables.h). */
#ifndef REPORT_SHUFFLE_H
#define REPORT_SHUFFLE_H

/* Of "SW1", "SW2", "PH1" or "PH2": its "occupancy" in percent; the cycles of an iteration as "estimated", and as
 * "latency_of_resident" threads have it; its "loads", "stores", "shuffles" and "syncs". NaN: it has no such number. */
double shuffle_number(const char *folder, const char *kernel, const char *name);

#endif

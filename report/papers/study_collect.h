/* Makes the study of the abstract machines (report/papers/study.h). */
#ifndef REPORT_PAPERS_STUDY_COLLECT_H
#define REPORT_PAPERS_STUDY_COLLECT_H

/* Makes FOLDER/study.json from the result files in the folder `work` and from its traces for Nakano 2013,
 * Figures 2 and 3. */
void study_collect(const char *work, const char *folder);

#endif

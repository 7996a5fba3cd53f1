/* Makes the study of the abstract machines (report/papers/study.h). */
#ifndef REPORT_PAPERS_STUDY_COLLECT_H
#define REPORT_PAPERS_STUDY_COLLECT_H

/* Makes FOLDER/study.json from the result files and the traces of Figures 2 and 3 in the folder `work`. */
void study_collect(const char *work, const char *folder);

#endif

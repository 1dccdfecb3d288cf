/* SPDX-License-Identifier: Apache-2.0 */
/* What the process called: the record, a file for `hone tune --shapes`
 * (hone-record(5)), and some lines on stderr at exit. */
#ifndef HONE_BLAS_REPORT_H
#define HONE_BLAS_REPORT_H

/* Report when the process ends. Once. */
void hone__report_start(void);
/* Write what is new, if some seconds have gone by. */
void hone__report_now_and_then(void);
/* In a child of fork(). */
void hone__report_forget(void);

#endif

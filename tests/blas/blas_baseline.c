/* SPDX-License-Identifier: Apache-2.0 */
/* blas_baseline DB TIMES [NS]: every winner of gemm gets a baseline of cuBLAS
 * that takes TIMES its time, and NS more, as if the library had been measured
 * beside it; what was measured of a library is forgotten. */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char *sql = NULL, *why = NULL;
    sqlite3 *db = NULL;

    if (argc < 3 || sqlite3_open(argv[1], &db) != SQLITE_OK)
        return 2;
    sql = sqlite3_mprintf(
        "DELETE FROM baseline;"
        "INSERT INTO baseline (session_id, name, label, choice, n_choices,"
        "                      time_ns, spread_ns, n_samples)"
        " SELECT session_id, 'cublas', 'cuBLAS', 0, 1, %s * time_ns + %s, 0, 9"
        "   FROM winner_v1 WHERE op = 'gemm'",
        argv[2], argc > 3 ? argv[3] : "0");
    if (!sql || sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fprintf(stderr, "%s\n", why ? why : "no memory");
        return 1;
    }
    sqlite3_free(sql);
    return sqlite3_close(db) != SQLITE_OK;
}

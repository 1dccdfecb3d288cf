/* SPDX-License-Identifier: Apache-2.0 */
/* Databases and packs that nobody named: see search_path.h. */
#include "runtime/search_path.h"

#include "runtime/store/database.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- linked in ----------------------------------------------------------- */

/* Kept until the process ends, as what they point at. */
typedef struct registered {
    const void *pack;
    size_t pack_bytes;
    struct registered *next;
} registered;

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static registered *registry;

static registered *first_registered(void)
{
    registered *first;

    (void)pthread_mutex_lock(&registry_lock);
    first = registry;
    (void)pthread_mutex_unlock(&registry_lock);
    return first;
}

hone_status hone__search_path_register(const void *pack, size_t pack_bytes,
                                       hone_error *err)
{
    registered *made = hone__alloc(sizeof *made);
    const registered *known;

    if (!made)
        return hone__out_of_memory(err, " for a pack that is linked in");
    (void)pthread_mutex_lock(&registry_lock);
    known = registry;
    while (known && known->pack != pack)
        known = known->next;
    if (!known) {
        *made = (registered){pack, pack_bytes, registry};
        registry = made;
    }
    (void)pthread_mutex_unlock(&registry_lock);
    if (known)
        hone__free(made);
    return HONE_OK;
}

/* ---- files --------------------------------------------------------------- */

typedef struct walk {
    hone_status (*visit)(void *user, const hone_store_source *source,
                         hone_error *err);
    void *user;
} walk;

static hone_status visit_file(const walk *w, const hone_text *path,
                              hone_error *err)
{
    HONE_TRY(hone__text_check(path, err));
    return w->visit(w->user, &(hone_store_source){.path = hone__text_str(path)},
                    err);
}

/* Where the user's is cannot be told without a home: then there is none. */
static hone_status visit_user(const walk *w, hone_error *err)
{
    hone_text path = {0};
    hone_error why = {0};
    hone_status status = hone__default_database(&path, &why);

    if (status == HONE_OK)
        status = visit_file(w, &path, err);
    else if (status != HONE_ERR_NOT_FOUND && err)
        *err = why;
    hone__text_free(&path);
    return status == HONE_ERR_NOT_FOUND ? HONE_OK : status;
}

/* Call `visit` for each entry of a list with colons. */
static hone_status
each_entry(const walk *w, const char *list,
           hone_status (*visit_entry)(const walk *w, const char *entry,
                                      size_t length, hone_error *err),
           hone_error *err)
{
    for (;;) {
        const size_t length = strcspn(list, ":");

        HONE_TRY(visit_entry(w, list, length, err));
        if (!list[length])
            return HONE_OK;
        list += length + 1;
    }
}

static hone_status visit_entry(const walk *w, const char *entry, size_t length,
                               hone_error *err)
{
    hone_text path = {0};
    hone_status status;

    if (!length)
        return visit_user(w, err);
    hone__text_append(&path, entry, length);
    status = visit_file(w, &path, err);
    hone__text_free(&path);
    return status;
}

/* Of a site or of the system. As XDG has it, a relative one is ignored. */
static hone_status visit_folder(const walk *w, const char *folder,
                                size_t length, hone_error *err)
{
    static const char *const names[] = {"/hone/hone.pack", "/hone/hone.db"};
    hone_status status = HONE_OK;

    for (size_t i = 0; *folder == '/' && i < 2 && status == HONE_OK; ++i) {
        hone_text path = {0};

        hone__text_append(&path, folder, length);
        hone__text_puts(&path, names[i]);
        status = visit_file(w, &path, err);
        hone__text_free(&path);
    }
    return status;
}

static hone_status visit_files(const walk *w, hone_error *err)
{
    const char *list = getenv("HONE_PATH");
    const char *user = getenv("HONE_DB");
    const char *folders = getenv("XDG_DATA_DIRS");

    if (list && *list)
        return each_entry(w, list, visit_entry, err);
    HONE_TRY(visit_user(w, err));
    if (user && *user)
        return HONE_OK;
    return each_entry(
        w, folders && *folders ? folders : "/usr/local/share:/usr/share",
        visit_folder, err);
}

hone_status hone__search_path(
    hone_status (*visit)(void *user, const hone_store_source *source,
                         hone_error *err),
    void *user, hone_error *err)
{
    HONE_TRY(visit_files(&(walk){visit, user}, err));
    for (const registered *r = first_registered(); r; r = r->next)
        HONE_TRY(visit(
            user,
            &(hone_store_source){.pack = r->pack, .pack_bytes = r->pack_bytes},
            err));
    return HONE_OK;
}

hone_status hone__search_path_failed(hone_error *err)
{
    const char *list = getenv("HONE_PATH");
    hone_text path = {0};
    hone_status status;

    if (list && *list)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "nothing that HONE_PATH names is there: %.300s",
                          list);
    status = hone__default_database(&path, err);
    if (status == HONE_OK)
        status = hone__fail(err, HONE_ERR_NOT_FOUND, HONE_NO_DATABASE,
                            hone__text_str(&path));
    hone__text_free(&path);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKED_H
#define LINKED_H

int linked_is_right(void);

#endif

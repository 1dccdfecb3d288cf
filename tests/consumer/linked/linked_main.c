/* SPDX-License-Identifier: Apache-2.0 */
#include "linked.h"

#include <stdio.h>

int main(void)
{
    const int is_right = linked_is_right();

    puts(is_right ? "right" : "WRONG");
    return !is_right;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The consumer's own header. */
#pragma once

constexpr float shift_by = 1;

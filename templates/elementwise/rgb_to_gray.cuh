/* SPDX-License-Identifier: Apache-2.0 */
/* rgb_to_gray: gray = (19595*R + 38470*G + 7471*B + 32768) >> 16, bytes.
 *
 * The luma of ITU-R BT.601 (0.299 R + 0.587 G + 0.114 B of values as they are,
 * gamma and all), its weights rounded to 1/65536 so that they add up to 1,
 * halves rounded up: what Pillow's convert("L") gives.
 *
 * Shapes: an image of rows x columns pixels, rgb of three bytes, gray of one.
 *
 * Layout: row-major, the three bytes of a pixel together; pitch_rgb and
 * pitch_gray bytes from a row to the next. The arrays begin at multiples of 16
 * bytes, their rows wherever that leads. What of gray lies between rows keeps
 * its values. The arrays do not overlap.
 *
 * Accuracy: exact. All is below 2^24, so any 32-bit arithmetic does.
 *
 * Bound by memory: 4 bytes and some 6 operations per pixel.
 *
 * Source: the weights are those of ITU-R BT.601, luma. */
#pragma once

#pragma hone op rgb_to_gray(rows, columns, pitch_rgb default 3*columns, pitch_gray default columns) "gray = (19595*R + 38470*G + 7471*B + 32768) >> 16, bytes, BT.601"
#pragma hone arg rgb: in u8[(rows - 1)*pitch_rgb + 3*columns] from 0..255
#pragma hone arg gray: inout u8[min(rows*columns, 1)*((rows - 1)*pitch_gray + columns)]

#pragma hone require pitch_rgb >= 3*columns "pitch_rgb is less than a row of rgb (3*columns)"
#pragma hone require pitch_gray >= columns "pitch_gray is less than a row of gray (columns)"

#pragma hone work flops(6*rows*columns) bytes(4*rows*columns)
#pragma hone shapes (4320, 7680) (8640, 15360) (4001, 6007)
#pragma hone check template.rgb_to_gray_plain tolerance(0) exact(255)
#pragma hone baseline template.rgb_to_gray_plain, memcpy

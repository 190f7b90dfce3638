[#] start of __file__
dnl SPDX-License-Identifier: BSD-3-Clause
dnl The two representations of maps that need libraries of others can be left out; Makefile.mk has
dnl their files.

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    AC_ARG_WITH([buddy],
        [AS_HELP_STRING([--without-buddy],
            [leave out maps that are decision diagrams, which BuDDy combines])],
        [], [with_buddy=yes])
    AM_CONDITIONAL([CMAP_BUDDY], [test "X$with_buddy" != Xno])
    AC_ARG_WITH([bzip2],
        [AS_HELP_STRING([--without-bzip2], [leave out maps that libbz2 compresses])],
        [], [with_bzip2=yes])
    AM_CONDITIONAL([CMAP_BZIP2], [test "X$with_bzip2" != Xno])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])
[#] end of __file__

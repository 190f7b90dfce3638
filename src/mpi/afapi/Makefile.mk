# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/afapi/afapi.c \
    src/mpi/afapi/afapi_alone.c \
    src/mpi/afapi/afapi_die.c \
    src/mpi/afapi/afapi_fold.c \
    src/mpi/afapi/afapi_mpi.c \
    src/mpi/afapi/afapi_supervise.c

include_HEADERS += src/include/afapi.h

# Each function of afapi.h has a manual page: a line that leads to the page of its kind.
INSTALL_DATA_LOCAL_TARGETS += install-afapi-man

install-afapi-man:
	$(MKDIR_P) "$(DESTDIR)$(mandir)/man3"
	for name in `$(CC) -E $(top_srcdir)/src/include/afapi.h | grep -oE '\<p_[A-Za-z0-9]+ *\(' | tr -d ' (' | sort -u`; do \
	    case $$name in \
	    p_exit) page=p_init ;; \
	    p_lwait) page=p_wait ;; \
	    p_lany) page=p_any ;; \
	    *) page=`expr $$name : '\(p_reduce\|p_scan\|p_bcast\|p_scatter\|p_putGet\|p_gather\|p_all2all\)' || :` ;; \
	    esac; \
	    test -z "$$page" || echo ".so man3/$$page.3" >"$(DESTDIR)$(mandir)/man3/$$name.3" || exit 1; \
	done

.PHONY: install-afapi-man

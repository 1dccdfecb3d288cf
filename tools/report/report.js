/* What the page does beyond showing: sorting and filtering of tables, finding
 * of operations, the theme, what a mark of a chart stands for. Without it all
 * is there to read, but for folded rows of large reports. Controls are made
 * here, so that none stands there dead. */
"use strict";
(function () {
    function make(name, properties, parent) {
        const element = document.createElement(name);
        Object.assign(element, properties);
        if (parent)
            parent.append(element);
        return element;
    }

    /* ---- sorting ---- */

    /* Numbers before words, what is missing last, in either direction. */
    function valueOf(row, column, isNumber) {
        const text = row.cells[column].textContent.trim();
        if (text === "\u2013" || text === "")
            return null;
        return isNumber ? parseFloat(text) : text;
    }

    const words = new Intl.Collator("en", {numeric: true});

    function sort(table, column, isDown) {
        const body = table.tBodies[0];
        const isNumber = table.tHead.rows[0].cells[column].classList.contains("n");
        const rows = Array.from(body.rows, function (row) {
            return {row: row, value: valueOf(row, column, isNumber)};
        });
        const sign = isDown ? -1 : 1;
        rows.sort(function (a, b) {
            if (a.value === null || b.value === null)
                return (a.value === null) - (b.value === null);
            return sign * (isNumber ? a.value - b.value
                                    : words.compare(a.value, b.value));
        });
        body.append(...rows.map(function (item) { return item.row; }));
        Array.from(table.tHead.rows[0].cells, function (cell, i) {
            cell.setAttribute("aria-sort", i !== column ? "none"
                              : isDown ? "descending" : "ascending");
        });
    }

    function makeSortable(table) {
        Array.from(table.tHead.rows[0].cells, function (cell, i) {
            const button = make("button", {type: "button"});
            button.append(...cell.childNodes);
            cell.append(button);
            cell.setAttribute("aria-sort", "none");
            button.addEventListener("click", function () {
                sort(table, i, cell.getAttribute("aria-sort") === "ascending");
            });
        });
    }

    /* ---- filtering ---- */

    /* Every word has to be in the row; COLUMN<5, >5 and =x compare a column
     * whose title begins so (three letters at least), blanks left out. */
    function conditionsOf(text, titles) {
        return text.toLowerCase().split(/\s+/).filter(Boolean).map(function (word) {
            const parts = /^([^<>=]{3,})(<=|>=|<|>|=)(.+)$/.exec(word);
            const column = parts ? titles.findIndex(function (title) {
                return title.startsWith(parts[1]);
            }) : -1;
            if (column < 0)
                return function (row) {
                    return row.textContent.toLowerCase().includes(word);
                };
            return function (row) {
                const value = row.cells[column].textContent.trim().toLowerCase();
                const a = parseFloat(value), b = parseFloat(parts[3]);
                switch (parts[2]) {
                case "<": return a < b;
                case ">": return a > b;
                case "<=": return a <= b;
                case ">=": return a >= b;
                default: return value === parts[3] || (a === b && String(b) === parts[3]);
                }
            };
        });
    }

    function makeFilter(holder, table) {
        const tools = make("div", {className: "tools"});
        const label = make("label", {textContent: "Filter "}, tools);
        const input = make("input", {
            type: "search", autocomplete: "off",
            title: "words that a row has, or COLUMN<VALUE with < > <= >= ="
        }, label);
        const said = make("output", {}, tools);
        const titles = Array.from(table.tHead.rows[0].cells, function (cell) {
            return cell.textContent.toLowerCase().replace(/\s+/g, "");
        });
        input.setAttribute("aria-label", "Filter " + table.caption.textContent);
        input.addEventListener("input", function () {
            const conditions = conditionsOf(input.value, titles);
            let n = 0;
            Array.from(table.tBodies[0].rows, function (row) {
                row.hidden = !conditions.every(function (holds) { return holds(row); });
                n += !row.hidden;
            });
            said.textContent = n + " of " + table.tBodies[0].rows.length + " rows";
        });
        holder.prepend(tools);
    }

    /* ---- folded rows ---- */

    /* Of large reports the rows behind the first are in a comment. */
    function unfold(table) {
        const body = table.tBodies[0];
        Array.from(body.childNodes).forEach(function (node) {
            if (node.nodeType === Node.COMMENT_NODE && node.data.startsWith("rows\n")) {
                node.remove();
                body.insertAdjacentHTML("beforeend", node.data.slice(5));
            }
        });
    }

    /* The next few of those that are left, whenever the browser has time, so
     * that its own search finds all. */
    const folded = Array.from(document.querySelectorAll(".table table"));
    const later = window.requestIdleCallback || function (work) {
        setTimeout(work, 50);
    };
    function unfoldLater() {
        unfold(folded.pop());
        if (folded.length)
            later(unfoldLater);
    }
    window.addEventListener("load", function () {
        setTimeout(function () {
            if (folded.length)
                later(unfoldLater);
        }, 1000);
    });

    /* ---- when ---- */

    /* A page with many tables opens faster if each is made ready when it comes
     * near the window, or is reached with the keyboard. */
    function makeReady(holder) {
        const table = holder.querySelector("table");
        if (holder.dataset.ready || !table.tBodies[0])
            return;
        holder.dataset.ready = "1";
        unfold(table);
        if (table.tBodies[0].rows.length > 1)
            makeFilter(holder, table);
        makeSortable(table);
    }

    const near = new IntersectionObserver(function (entries) {
        entries.forEach(function (entry) {
            if (entry.isIntersecting) {
                near.unobserve(entry.target);
                makeReady(entry.target);
            }
        });
    }, {rootMargin: "600px"});
    document.querySelectorAll(".table").forEach(function (holder) {
        near.observe(holder);
        holder.addEventListener("focusin", function () { makeReady(holder); });
    });

    /* ---- finding operations ---- */

    const nav = document.querySelector("nav");
    const sections = Array.from(document.querySelectorAll("section.group"));
    if (sections.length > 1) {
        const label = make("label", {textContent: "Find operations "});
        const input = make("input", {type: "search", autocomplete: "off"}, label);
        nav.prepend(label);
        input.addEventListener("input", function () {
            const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
            sections.forEach(function (section) {
                const name = section.querySelector("h2").textContent.toLowerCase();
                const link = nav.querySelector("a[href='#" + section.id + "']");
                section.hidden = !wanted.every(function (word) {
                    return name.includes(word);
                });
                link.parentNode.hidden = section.hidden;
            });
        });
    }

    /* ---- theme ---- */

    const root = document.documentElement;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const theme = make("button", {type: "button", className: "theme"});
    function isDark() {
        return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
    }
    function nameTheme() {
        theme.textContent = isDark() ? "Light theme" : "Dark theme";
    }
    theme.addEventListener("click", function () {
        root.dataset.theme = isDark() ? "light" : "dark";
        nameTheme();
    });
    dark.addEventListener("change", nameTheme);
    nameTheme();
    document.querySelector("header").prepend(theme);

    /* ---- marks of charts: a mouse shows their titles, a finger needs this ---- */

    const tip = make("div", {id: "tip", hidden: true}, document.body);
    document.addEventListener("click", function (event) {
        const mark = event.target.closest(".p");
        tip.hidden = !mark;
        if (!mark)
            return;
        tip.textContent = mark.querySelector("title").textContent;
        tip.style.left = Math.max(4, Math.min(event.clientX,
            window.innerWidth - tip.offsetWidth - 8)) + "px";
        tip.style.top = Math.max(4, event.clientY - tip.offsetHeight - 12) + "px";
    });
    document.addEventListener("keydown", function (event) {
        if (event.key === "Escape")
            tip.hidden = true;
    });

    /* Paper has what is folded in. */
    window.addEventListener("beforeprint", function () {
        document.querySelectorAll(".table table").forEach(unfold);
        document.querySelectorAll("figure details").forEach(function (item) {
            item.open = true;
        });
    });
})();

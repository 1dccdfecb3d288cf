/* What a reader does with a report, for tools_report_browser.sh: it is put at
 * the end of a copy of the page and sends what came of it to the page around
 * it, a line each: "ok NAME" or "not ok NAME: WHAT". */
"use strict";
window.addEventListener("load", async function () {
    const lines = [];

    function check(name, isGood, what) {
        lines.push((isGood ? "ok " : "not ok ") + name + (isGood ? "" : ": " + what));
    }

    function column(table, i) {
        return Array.from(table.tBodies[0].rows)
            .filter(function (row) { return !row.hidden; })
            .map(function (row) { return row.cells[i].textContent; });
    }

    function pause() {
        return new Promise(function (done) { setTimeout(done, 50); });
    }

    const holder = document.getElementById("g1-problems");
    holder.querySelector(".scroll").focus();
    await pause();
    const table = holder.querySelector("table");
    const heads = Array.from(table.tHead.rows[0].cells);
    const ours = heads.findIndex(function (cell) {
        return cell.textContent.startsWith("ours");
    });
    const button = heads[ours].querySelector("button");
    check("a button sorts", button && button.tabIndex === 0, "there is none");

    /* Sorting: numbers by value, not as text; then the other way. */
    button.click();
    let values = column(table, ours).map(Number);
    check("ascending", values.length > 4 && values.every(function (value, i) {
        return i === 0 || values[i - 1] <= value;
    }), values.join(" "));
    check("aria-sort", heads[ours].getAttribute("aria-sort") === "ascending",
          heads[ours].getAttribute("aria-sort"));
    button.click();
    values = column(table, ours).map(Number);
    check("descending", values.every(function (value, i) {
        return i === 0 || values[i - 1] >= value;
    }), values.join(" "));

    /* What is missing comes last in both directions. */
    const second = heads.findIndex(function (cell) {
        return cell.textContent.startsWith("cublas \u00b5s");
    });
    for (let i = 0; i < 2; ++i) {
        heads[second].querySelector("button").click();
        const texts = column(table, second);
        const first = texts.indexOf("\u2013");
        check("missing last " + i, first > 0 &&
              texts.slice(first).every(function (text) { return text === "\u2013"; }),
              texts.join(" "));
    }
    /* Words in their order, numbers in them by value. */
    heads[0].querySelector("button").click();
    const shapes = column(table, 0);
    check("words", shapes.join() === shapes.slice().sort(new Intl.Collator("en",
        {numeric: true}).compare).join(), shapes.join(" "));

    /* Filtering. */
    const input = holder.querySelector("input");
    const total = table.tBodies[0].rows.length;

    function filter(text) {
        input.value = text;
        input.dispatchEvent(new Event("input"));
        return column(table, 0).length;
    }

    /* Those that were folded, too. */
    const said = document.querySelector("#g1 > p").textContent;
    check("all rows", total === parseInt(said), total + " of " + said);
    check("filter has a name", input.getAttribute("aria-label").startsWith("Filter "),
          "none");
    const found = filter(shapes[shapes.length - 1]);
    check("filter word", found === 1, String(found));
    check("filter nothing", filter("no such row") === 0, "rows are left");
    check("filter says so", holder.querySelector("output").textContent ===
          "0 of " + total + " rows", holder.querySelector("output").textContent);
    const limit = values[2];
    const n = filter("ours<" + limit);
    check("filter number", n === values.filter(function (value) {
        return value < limit;
    }).length && n > 0 && n < total, String(n));
    check("filter off", filter("") === total, "not all rows");

    /* Themes: the button overrides what the system prefers. */
    const theme = document.querySelector("button.theme");
    const colors = [getComputedStyle(document.body).backgroundColor];
    theme.click();
    colors.push(getComputedStyle(document.body).backgroundColor);
    theme.click();
    check("theme", colors[0] !== colors[1] &&
          getComputedStyle(document.body).backgroundColor === colors[0],
          colors.join(" "));

    /* A mark says what it is; Escape takes it away. */
    const tip = document.getElementById("tip");
    document.querySelector("circle.p").dispatchEvent(new MouseEvent("click",
        {bubbles: true, clientX: 50, clientY: 50}));
    check("tip", !tip.hidden && tip.textContent.length > 5, tip.textContent);
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
    check("tip goes", tip.hidden, "it stays");

    /* Finding operations. */
    const find = document.querySelector("nav input");
    if (find) {
        find.value = "hot";
        find.dispatchEvent(new Event("input"));
        const left = Array.from(document.querySelectorAll("section.group"))
            .filter(function (section) { return !section.hidden; });
        check("find", left.length > 0 && left.every(function (section) {
            return section.querySelector("h2").textContent.includes("hot");
        }), String(left.length));
        find.value = "";
        find.dispatchEvent(new Event("input"));
    }

    /* Every figure has a name, every reference its target, no id comes twice. */
    const ids = Array.from(document.querySelectorAll("[id]"), function (item) {
        return item.id;
    });
    check("ids", new Set(ids).size === ids.length, "one comes twice");
    check("figures", Array.from(document.querySelectorAll("svg")).every(function (svg) {
        return svg.getAttribute("role") === "img" &&
            svg.getAttribute("aria-labelledby").split(" ").every(function (id) {
                return document.getElementById(id).textContent.length > 0;
            });
    }), "one has no name");
    check("links", Array.from(document.querySelectorAll("a")).every(function (link) {
        return document.querySelector(link.getAttribute("href"));
    }), "one leads nowhere");

    /* The page itself never scrolls sideways; labels stay in their figures. */
    const root = document.documentElement;
    check("width", root.scrollWidth <= root.clientWidth,
          root.scrollWidth + " > " + root.clientWidth);
    const outside = Array.from(document.querySelectorAll("svg text"))
        .filter(function (text) {
            const box = text.getBBox(), view = text.ownerSVGElement.viewBox.baseVal;
            return box.width > 0 && (box.x < -2 || box.x + box.width > view.width + 2 ||
                                     box.y < -2 || box.y + box.height > view.height + 2);
        });
    check("labels", outside.length === 0, outside.map(function (text) {
        return text.textContent;
    }).join("; "));

    lines.push("width was " + root.clientWidth, "end");
    window.parent.postMessage(lines.join("\n"), "*");
});

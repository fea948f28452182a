// Opens pages of the design preview in a real Chromium and says what is wrong with them.
//
//   node preview.mjs [PAGES_DIR] [SCREENSHOTS_DIR]
//
// Without PAGES_DIR the samples are rendered first (`cargo run -p onus-design --example render_samples`).
// Exit code: 0 nothing found, 1 something found, 2 the tests could not run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
const VIEWPORTS = [
  { name: "1280", width: 1280, height: 720 },
  { name: "375", width: 375, height: 667 },
];
const SCHEMES = ["light", "dark"];
/** Axe takes minutes for that many elements, and the same parts stand on the other pages. */
const WITHOUT_AXE = ["large.html"];
/** Taller pages are shown down to here; a picture of everything would take more memory than the test is worth. */
const SCREENSHOT_HEIGHT_MAX = 12000;

function cannotRun(message) {
  console.error(message);
  process.exit(2);
}

function findChromium() {
  const named = process.env.CHROME_PATH;
  const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return [named, ...known].find((path) => path && existsSync(path))
    ?? cannotRun("no Chromium found: install it (Debian: apt-get install chromium) or set CHROME_PATH");
}

function renderSamples() {
  const out = mkdtempSync(join(tmpdir(), "onus-preview-"));
  process.on("exit", () => rmSync(out, { recursive: true, force: true }));
  const done = spawnSync("cargo", ["run", "-q", "--locked", "-p", "onus-design", "--example", "render_samples", "--", out], {
    cwd: resolve(here, "../.."),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (done.status !== 0) cannotRun("the samples could not be rendered");
  return out;
}

/** Runs axe in the page's own document; the page itself forbids scripts, so this goes through the debugger. */
async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate((tags) => axe.run(document, { runOnly: { type: "tag", values: tags } }), TAGS);
  const places = (violation) => violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ");
  return result.violations.map((v) => `axe ${v.id} (${v.impact}, ${v.nodes.length}): ${v.help}: ${places(v)}`);
}

/** Things that stand further right than the page is wide, outside of regions that scroll. */
function overflow(page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth <= clientWidth ? [] : [`horizontal scroll: ${scrollWidth} > ${clientWidth}`];
  });
}

/** Text of diagrams that sticks out of its box; measured with the fonts of this machine. */
function spilled(page) {
  return page.evaluate(() => {
    const found = [];
    for (const node of document.querySelectorAll(".diagram .node")) {
      const box = node.querySelector(".body").getBoundingClientRect();
      if (box.width === 0) continue;
      for (const text of node.querySelectorAll("text")) {
        const inner = text.getBoundingClientRect();
        if (inner.right > box.right + 1 || inner.bottom > box.bottom + 1) found.push(`spills out of its box: ${text.textContent}`);
      }
    }
    return found.slice(0, 3);
  });
}

/** Every focusable thing is reached by Tab and shows it. */
async function focus(page) {
  const wanted = await page.evaluate(() => [...document.querySelectorAll("a[href], summary, [tabindex='0']")]
    .filter((e) => e.checkVisibility()).length);
  const hops = Math.min(wanted, 40);
  const found = [];
  for (let i = 0; i < hops; i++) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const e = document.activeElement;
      return { name: e.outerHTML.slice(0, 60), outline: getComputedStyle(e).outlineStyle, body: e === document.body };
    });
    if (seen.body) found.push(`Tab ${i + 1} of ${wanted} reached nothing`);
    else if (seen.outline === "none") found.push(`focus does not show: ${seen.name}`);
  }
  return found;
}

const pages = resolve(process.argv[2] ?? renderSamples());
const screenshots = resolve(process.argv[3] ?? join(here, "screenshots"));
mkdirSync(screenshots, { recursive: true });
const names = readdirSync(pages).filter((name) => name.endsWith(".html")).sort();
if (names.length === 0) cannotRun(`no pages in ${pages}`);

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
let wrong = 0;
let checked = 0;
for (const name of names) {
  for (const { name: width, ...viewport } of VIEWPORTS) {
    for (const colorScheme of WITHOUT_AXE.includes(name) ? SCHEMES.slice(0, 1) : SCHEMES) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      const found = [];
      page.on("pageerror", (error) => found.push(`error: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && found.push(`console: ${message.text()}`));
      page.on("dialog", (dialog) => { found.push(`a script ran: ${dialog.message()}`); dialog.dismiss(); });
      page.on("request", (request) => request.isNavigationRequest() || found.push(`fetches ${request.url()}`));
      await page.goto(pathToFileURL(join(pages, name)).href);
      found.push(...(await overflow(page)), ...(await spilled(page)));
      const path = join(screenshots, `${name.replace(".html", "")}-${width}-${colorScheme}.png`);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(height, SCREENSHOT_HEIGHT_MAX) };
      await page.screenshot({ path, fullPage: true, clip, timeout: 120000 });
      if (colorScheme === "light") found.push(...(await focus(page)));
      // What is folded away must hold as well.
      await page.evaluate(() => document.querySelectorAll("details").forEach((e) => { e.open = true; }));
      found.push(...(await overflow(page)));
      if (!WITHOUT_AXE.includes(name)) found.push(...(await violations(page)));
      checked += 1;
      wrong += found.length;
      console.log(`${found.length === 0 ? "ok  " : "FAIL"} ${name} ${width} px ${colorScheme}, ${height} px high`);
      for (const line of found) console.log(`     ${line}`);
      await context.close();
    }
  }
}
await browser.close();
console.log(`${checked} pages checked, ${wrong} problems; screenshots in ${screenshots}`);
process.exit(wrong === 0 ? 0 : 1);

// Packs the page and the engine into the static site: one script, one style sheet, a manifest, icons and a service
// worker. All names but those of the page and of the service worker have a hash of their content.
//
// node pack.js OUT: the folder OUT has the engine's modules in OUT/engine, and gets the rest.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Resvg, initWasm } from "@resvg/resvg-wasm";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const ENGINE = path.join(here, "../engine");
const PAGE = path.join(here, "../page");
const PROOF = path.join(here, "../../docs/proofs/side-4-a1.proof");

const OPTIONS = {
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  charset: "utf8",
  // The first browsers that have all that the page uses (docs/web.md).
  target: ["chrome111", "firefox121", "safari16.4"],
  logLevel: "warning",
};

const renderer = readFileSync(fileURLToPath(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm")));
const isReady = initWasm(renderer);

function hashOf(...contents) {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 8);
}

/** What esbuild makes of its entry point or points, as files. */
async function bundle(options) {
  const { outputFiles } = await build({ ...OPTIONS, ...options });
  return outputFiles;
}

async function bundleOne(options) {
  const [file] = await bundle(options);
  return file.contents;
}

/** A plugin for esbuild: a module whose path fits `filter` has the constant SITE with this value, and nothing else. */
function siteModule(filter, value) {
  const contents = `export const SITE = ${JSON.stringify(value)};`;
  return {
    name: "site",
    setup({ onResolve, onLoad }) {
      onResolve({ filter }, () => ({ path: "site", namespace: "site" }));
      onLoad({ filter: /./, namespace: "site" }, () => ({ contents }));
    },
  };
}

/** The paths of all files in a folder, relative to it. */
export function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true }).map((name) => name.split(path.sep).join("/"));
  return names.filter((name) => statSync(path.join(folder, name)).isFile()).sort();
}

/** The size of these files of a folder, if each is sent with gzip, in bytes. */
export function packedSize(folder, names) {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length, 0);
}

/**
 * Makes the site in the folder `out` of the engine's modules in `out`/engine and of the page in the folder `page`.
 * Rejects if the page's HTML lacks a link that has to be replaced.
 */
export async function pack(out, page = PAGE) {
  const read = (name) => readFileSync(path.join(page, name));
  /** Writes a file and returns its name, which has a hash of its content. */
  const keep = (name, content) => {
    const { name: stem, ext } = path.parse(name);
    const hashed = `${stem}-${hashOf(content)}${ext}`;
    writeFileSync(path.join(out, hashed), content);
    return hashed;
  };
  const engine = await packEngine(out);
  const [icon, touchIcon, manifest] = await packIcons(read("icon.svg"), keep);
  const html = read("index.html").toString();
  const languages = await packLanguages(page, keep);
  const places = {
    languages,
    engine: { name: "worker", path: `${engine}/worker.js` },
    puzzles: keep("puzzles.jsonl", read("puzzles.jsonl")),
    proof: keep(path.basename(PROOF), readFileSync(PROOF)),
    serviceWorker: "service-worker.js",
  };
  const plugins = [siteModule(/\/site\.js$/, places)];
  const links = {
    "js/main.js": keep("page.js", await bundleOne({ entryPoints: [path.join(page, "js/main.js")], plugins })),
    "js/theme.js": keep("theme.js", await bundleOne({ entryPoints: [path.join(page, "js/theme.js")] })),
    "icon.svg": icon,
  };
  const style = keep("page.css", await packStyles(page, stylesOf(html)));
  const packed = link(html, { links, style, touchIcon, manifest });
  writeFileSync(path.join(out, "index.html"), packed);
  await packServiceWorker(out, engine, packed, [...Object.values(links), style, manifest]);
}

/** Puts the engine's scripts beside its modules. Returns the folder's name, which has a hash of all that is in it. */
async function packEngine(out) {
  const folder = path.join(out, "engine");
  // What these import becomes part of them.
  const scripts = readdirSync(ENGINE).filter((name) => name.endsWith(".js") && name !== "module.js");
  const entryPoints = scripts.map((name) => path.join(ENGINE, name));
  for (const { path: file, contents } of await bundle({ entryPoints, outdir: folder })) writeFileSync(file, contents);
  const contents = filesIn(folder).flatMap((name) => [name, readFileSync(path.join(folder, name))]);
  const name = `engine-${hashOf(...contents)}`;
  renameSync(folder, path.join(out, name));
  return name;
}

/** Keeps the texts of each language in a file of its own; those of English are part of the script. */
async function packLanguages(page, keep) {
  const names = {};
  for (const [code, name] of Object.entries(languageFiles(page))) {
    names[code] = keep(path.basename(name), await bundleOne({ entryPoints: [path.join(page, name)] }));
  }
  return names;
}

/** The texts of the languages by their codes, as js/site.js names them. */
function languageFiles(page) {
  const files = readdirSync(path.join(page, "js/language")).filter(
    (name) => /^[a-z]{2}\.js$/.test(name) && name !== "en.js",
  );
  return Object.fromEntries(files.map((name) => [path.parse(name).name, `js/language/${name}`]));
}

/** Makes the icons and the manifest that names them. Returns the names of the icon, that for iOS, and the manifest. */
async function packIcons(svg, keep) {
  await isReady;
  // The picture has room around it: on ground of its own colour, it may be cut to any shape.
  const ground = /fill="(#\w{6})"/.exec(svg)[1];
  const png = (width, background) => {
    const fitTo = { mode: "width", value: width };
    return new Resvg(svg.toString(), { fitTo, background }).render().asPng();
  };
  const icon = keep("icon.svg", svg);
  const image = (src, sizes, purpose) => ({
    src,
    sizes,
    type: src.endsWith("svg") ? "image/svg+xml" : "image/png",
    purpose,
  });
  const list = [image(icon, "any", "any")];
  for (const width of [192, 512]) {
    const sizes = `${width}x${width}`;
    list.push(image(keep(`icon-${width}.png`, png(width)), sizes, "any"));
    list.push(image(keep(`icon-${width}-maskable.png`, png(width, ground)), sizes, "maskable"));
  }
  const manifest = { ...JSON.parse(readFileSync(path.join(here, "manifest.json"))), icons: list };
  return [icon, keep("icon-180.png", png(180, ground)), keep("manifest.json", JSON.stringify(manifest, null, 2))];
}

const STYLE_LINK = / *<link rel="stylesheet" href="(.*?)" \/>\n/g;

function stylesOf(html) {
  return [...html.matchAll(STYLE_LINK)].map(([, href]) => href);
}

function packStyles(page, names) {
  const contents = names.map((name) => `@import "./${name}";`).join("\n");
  return bundleOne({ stdin: { contents, resolveDir: page, loader: "css" } });
}

/** The page with links to the files of the site. */
function link(html, { links, style, touchIcon, manifest }) {
  let linked = html.replace(STYLE_LINK, "");
  for (const [name, hashed] of Object.entries(links)) {
    if (!linked.includes(`"${name}"`)) throw new Error(`index.html has no link to ${name}`);
    linked = linked.replaceAll(`"${name}"`, `"${hashed}"`);
  }
  return linked.replace(
    "  </head>",
    `    <link rel="stylesheet" href="${style}" />
    <link rel="manifest" href="${manifest}" />
    <link rel="apple-touch-icon" href="${touchIcon}" />
  </head>`,
  );
}

async function packServiceWorker(out, engine, html, links) {
  const files = ["./", ...filesIn(out).filter((name) => name !== "index.html")];
  const plugins = [siteModule(/^site$/, { version: hashOf(html, ...files), files, links, engine })];
  const script = await bundleOne({ entryPoints: [path.join(here, "service-worker.js")], plugins });
  writeFileSync(path.join(out, "service-worker.js"), script);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , out] = process.argv;
  await pack(path.resolve(out));
  const names = filesIn(out);
  console.log(`${out}: ${names.length} files, ${Math.ceil(packedSize(out, names) / 1024)} KiB with gzip`);
}

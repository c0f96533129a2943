import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { sdkVersion } from '../../plugins/find/manifest.ts';
import { root } from '../../config/config.ts';
import { CommandError } from './command-error.ts';

const template = join(root, 'templates', 'plugin');
const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const longest = 40;
const homeFile = '.tapline-home';
/** What a plugin is built and tested with: the versions that the service itself uses. */
const tools = ['@types/mocha', '@types/node', 'mocha', 'typescript'];
/** What its pages are written with; in a browser they are the console's own. */
const pageTools = ['@preact/signals', 'happy-dom', 'preact'];

/** Writes a package that builds and passes its tests as it is: a resource, a setting, a tap and a migration. */
export function newPlugin(name: string, { dir }: { dir?: string }): void {
  if (!kebab.test(name) || name.length > longest)
    throw new CommandError(`The name must be in kebab-case, at most ${longest} characters, like "night-watch".`);
  // npm runs commands in the checkout; the folder is meant from where it was called
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), dir ?? name);
  if (existsSync(folder) && readdirSync(folder).length)
    throw new CommandError(`${folder} is not empty: name another folder with --dir.`);
  const packages = [sdk, kit].map((one) => [one.name, tarballOf(one)] as const);
  for (const file of templateFiles()) {
    const target = join(folder, basename(file) === 'gitignore' ? '.gitignore' : file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, named(readFileSync(join(template, file), 'utf8'), name));
  }
  mkdirSync(join(folder, 'vendor'));
  for (const [, tarball] of packages) copyFileSync(tarball, join(folder, 'vendor', basename(tarball)));
  const vendored = packages.map(([own, tarball]) => [own, `file:vendor/${basename(tarball)}`]);
  completePackage(join(folder, 'package.json'), Object.fromEntries(vendored));
  // what its tests start; git leaves it alone, since it is of this machine
  writeFileSync(join(folder, homeFile), `${root}\n`);
  const here = relative(process.env.INIT_CWD ?? process.cwd(), folder) || '.';
  console.log(
    [
      `Plugin ${name} is written to ${folder}.`,
      `  cd ${here}`,
      '  npm install',
      '  npm test',
      'Its README.md tells how to switch it on.',
    ].join('\n'),
  );
}

const templateFiles = () =>
  globSync('**/*', { cwd: template, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)));

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const named = (text: string, name: string) =>
  text
    .replaceAll('sample-plugin', name)
    .replaceAll('sample_plugin', name.replaceAll('-', '_'))
    .replaceAll('SAMPLE_PLUGIN', name.replaceAll('-', '_').toUpperCase())
    .replaceAll('Sample plugin', capital(name.replaceAll('-', ' ')))
    .replaceAll("'^1.0.0'", `'^${sdkVersion()}'`);

const manifestOf = (home: string) => JSON.parse(readFileSync(join(root, home, 'package.json'), 'utf8'));

function completePackage(path: string, vendored: Record<string, string>): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const versions = { ...manifestOf('.').devDependencies, ...manifestOf(kit.home).devDependencies };
  manifest.peerDependencies['@tapline/plugin-sdk'] = `^${sdkVersion()}`;
  manifest.devDependencies = {
    ...vendored,
    ...Object.fromEntries([...pageTools, ...tools].toSorted().map((tool) => [tool, versions[tool]])),
  };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

interface Packed {
  name: string;
  /** folder in the checkout */
  home: string;
  /** of its sources */
  folders: string;
}

const sdk: Packed = { name: '@tapline/plugin-sdk', home: 'plugin-sdk', folders: 'checks,rows,testing' };
const kit: Packed = {
  name: '@tapline/console-kit',
  home: 'console-kit',
  folders: 'api,components,generic,plugins,resources,runs,testing',
};

/** Built now if it was not, or if its sources have changed since. */
function tarballOf({ name, home: folder, folders }: Packed): string {
  const home = join(root, folder);
  const path = join(home, 'dist', `${name.replace('@', '').replace('/', '-')}-${manifestOf(folder).version}.tgz`);
  const sources = globSync(`{*,{${folders}}/*}.{ts,tsx,json}`, { cwd: home }).map((file) => join(home, file));
  const changed = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  if (existsSync(path) && statSync(path).mtimeMs >= changed) return path;
  execFileSync(process.execPath, [join(home, 'build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(path)) throw new CommandError(`${name} could not be built: run \`npm run build:sdk\`.`);
  return path;
}

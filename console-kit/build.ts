import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Makes the package that authors of plugins write and test pages with; in the browser its place is taken by the console's own. */
const here = import.meta.dirname;
const dist = join(here, 'dist');
const require = createRequire(import.meta.url);
const { name, version, description, devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));

rmSync(dist, { recursive: true, force: true });
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
// the compiler rewrites the imports of the code, not those of the types
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replaceAll(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.tsx?(?=['"])/g, '$1.js'),
  );
}
copyFileSync(join(here, 'README.md'), join(dist, 'README.md'));

const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
// whoever runs pages only has them from the console: none of these is fetched for that
const peers = Object.fromEntries(Object.entries(devDependencies).map(([peer, at]) => [peer, `^${String(at)}`]));
const manifest = {
  name,
  version,
  description,
  license: 'Apache-2.0',
  type: 'module',
  exports: { '.': entry('index'), './testing': entry('testing'), './package.json': './package.json' },
  files: ['**/*.js', '**/*.d.ts'],
  peerDependencies: peers,
  peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((peer) => [peer, { optional: true }])),
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', dist, '--pack-destination', dist], {
  encoding: 'utf8',
});
console.log(join(dist, packed.trim().split('\n').at(-1)!));

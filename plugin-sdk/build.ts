import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

/**
 * Makes the package that authors of plugins install: JavaScript and types in dist/, and the tarball of it beside them.
 * zod comes along, so that nothing else need be fetched.
 */
const here = import.meta.dirname;
const dist = join(here, 'dist');
const require = createRequire(import.meta.url);
const { name, version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const bundled = ['zod'];

rmSync(dist, { recursive: true, force: true });
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });

// the compiler rewrites the imports of the code, not those of the types
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
}

cpSync(join(here, 'README.md'), join(dist, 'README.md'));
const versions = bundled.map((dependency) => {
  const folder = dirname(require.resolve(`${dependency}/package.json`));
  const sources = join(folder, 'src') + sep;
  cpSync(folder, join(dist, 'node_modules', dependency), {
    recursive: true,
    filter: (path) => !`${path}${sep}`.startsWith(sources),
  });
  return [dependency, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version];
});

const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
const manifest = {
  name,
  version,
  description: 'What plugins of Tapline are written with: the contract, builders, and a testing kit.',
  license: 'Apache-2.0',
  type: 'module',
  exports: { '.': entry('index'), './testing': entry('testing'), './package.json': './package.json' },
  files: ['**/*.js', '**/*.d.ts'],
  dependencies: Object.fromEntries(versions),
  bundleDependencies: bundled,
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', dist, '--pack-destination', dist], {
  encoding: 'utf8',
});
console.log(join(dist, packed.trim().split('\n').at(-1)!));

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

/**
 * Makes the package that authors of plugins install: JavaScript and types in dist/, and the tarball of it beside them.
 * zod comes along, and of knex and its pool the types, so that nothing else need be fetched.
 */
const here = import.meta.dirname;
const dist = join(here, 'dist');
const require = createRequire(import.meta.url);
const { name, version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const bundled = ['zod'];
const typesOnly = ['knex', 'tarn'];

rmSync(dist, { recursive: true, force: true });
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });

// the compiler rewrites the imports of the code, not those of the types
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
}

// what it points at is there as types
const readme = readFileSync(join(here, 'README.md'), 'utf8');
writeFileSync(join(dist, 'README.md'), readme.replaceAll(/(\]\([\w./-]+)\.ts\)/g, '$1.d.ts)'));
const homeOf = (dependency: string) => dirname(require.resolve(`${dependency}/package.json`));
const manifestOf = (dependency: string) => JSON.parse(readFileSync(join(homeOf(dependency), 'package.json'), 'utf8'));

for (const dependency of bundled) {
  const sources = join(homeOf(dependency), 'src') + sep;
  cpSync(homeOf(dependency), join(dist, 'node_modules', dependency), {
    recursive: true,
    filter: (path) => !`${path}${sep}`.startsWith(sources),
  });
}
for (const dependency of typesOnly) {
  const [from, to] = [homeOf(dependency), join(dist, 'node_modules', dependency)];
  for (const file of globSync(['LICENSE', '{types,dist}/**/*.d.ts'], { cwd: from }))
    cpSync(join(from, file), join(to, file));
  const { name, version, license, types } = manifestOf(dependency);
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license, types }, null, 2)}\n`);
}
const dependencies = [...bundled, ...typesOnly];

const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
const manifest = {
  name,
  version,
  description: 'What plugins of Tapline are written with: the contract, builders, and a testing kit.',
  license: 'Apache-2.0',
  type: 'module',
  exports: { '.': entry('index'), './testing': entry('testing'), './package.json': './package.json' },
  files: ['**/*.js', '**/*.d.ts'],
  dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, manifestOf(dependency).version])),
  bundleDependencies: dependencies,
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', dist, '--pack-destination', dist], {
  encoding: 'utf8',
});
console.log(join(dist, packed.trim().split('\n').at(-1)!));

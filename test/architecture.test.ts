import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '..');
const isTest = (file: string) => /(^|\/)test\//.test(file);
const all = globSync(
  '{config,migrations,plugin-sdk,console-kit,core,plugins,bench,setup,demo,test}/**/*.{ts,tsx,mjs}',
  {
    cwd: root,
  },
)
  .filter((file) => !file.includes('node_modules') && !file.endsWith('.d.ts'))
  .toSorted();
const sources = all.filter((file) => !isTest(file));
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const lines = (file: string) => text(file).trimEnd().split('\n').length;

interface Import {
  file: string;
  specifier: string;
  /** path from the root, for our own files */
  target: string | null;
}

function importsOf(file: string): Import[] {
  const found = text(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+'([^']+)'|(?:^|[\s(])import\(\s*'([^']+)'|(?:^|\n)\s*import\s+'([^']+)'/g,
  );
  return [...found].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const own = specifier.startsWith('.')
      ? relative(root, resolve(root, dirname(file), specifier))
      : specifier.startsWith('@tapline/')
        ? specifier.replace('@tapline/', '')
        : null;
    return { file, specifier, target: own };
  });
}

const imports = sources.flatMap(importsOf);
const inside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const show = (found: Import[]) => found.map(({ file, specifier }) => `${file} imports ${specifier}`);

/** Files of core that name a kind's templates, its tables, or a kind as a key, and why that is not the kind's own matter. */
const namesKinds: Record<string, string> = {
  'core/app/demo-content.ts': 'what a first start shows is one job template',
  'core/inventory/constructed/source.ts': 'a constructed inventory has one source, written with it',
  'core/inventory/smart/filter.ts': 'the types that the filter of a smart inventory may go through',
  'core/notifications/default-messages.ts': 'the key of approvals among the messages of the contract',
  'core/notifications/job-stub.ts': 'the made-up job of the contract that messages are tried on',
  'core/notifications/messages.ts': 'the key of approvals among the messages of the contract',
  'core/rbac/assignments/permission-names.ts': 'names of permissions as clients know them, in one table',
  'core/rbac/definitions.ts': 'the roles of all types in one table, since they imply each other across types',
  'core/rbac/grant-paths.ts': 'a job template lies in the organization of its inventory as well, whose roles grant',
  'core/rbac/role-level.ts': 'templates of system jobs have no roles: administrators and auditors alone see them',
  'core/resources/inventory/constructed-inventory.ts': 'a constructed inventory has one source, written with it',
  'core/resources/people/organization-counts.ts': 'the counts of an organization that the contract names',
  'core/resources/runs/dashboard.ts': 'the figures that the contract names',
};

describe('the architecture', () => {
  it('was looked at: sources and imports were found', () => {
    expect(sources.length).to.be.greaterThan(60);
    expect(imports.length).to.be.greaterThan(200);
    expect(
      imports
        .filter(({ target }) => target?.endsWith('.ts') && !existsSync(join(root, target)))
        .map(({ file, specifier }) => `${file}: ${specifier}`),
    ).to.deep.equal([]);
  });

  it('keeps plugin-sdk free of everything of ours', () => {
    expect(
      show(
        imports.filter(
          ({ file, target }) => inside(file, 'plugin-sdk') && target !== null && !inside(target, 'plugin-sdk'),
        ),
      ),
    ).to.deep.equal([]);
  });

  it('lets plugins import plugin-sdk and themselves only, and their pages the kit', () => {
    const wrong = imports.filter(({ file, target }) => {
      const plugin = /^plugins\/[^/]+/.exec(file)?.[0];
      if (!plugin || target === null || inside(target, 'plugin-sdk') || inside(target, plugin)) return false;
      return !(inside(target, 'console-kit') && /^plugins\/[^/]+\/(web|pages)\//.test(file));
    });
    expect(show(wrong)).to.deep.equal([]);
  });

  it('keeps the kit of pages free of the console, and pages to what the kit gives to everybody', () => {
    const kit = imports.filter(({ file }) => inside(file, 'console-kit') && file !== 'console-kit/build.ts');
    expect(kit.length).to.be.greaterThan(100);
    expect(show(kit.filter(({ target }) => target !== null && !inside(target, 'console-kit')))).to.deep.equal([]);
    const web = imports.filter(({ file, target }) => inside(file, 'plugins/console/web') && target);
    expect(web.filter(({ target }) => target === 'console-kit').length).to.be.greaterThan(80);
    const frame =
      /^plugins\/console\/web\/((app|shell)\.tsx|api\/navigation\.ts|resources\/registry\.ts|plugins\/|palette\/|pages\/login\/)/;
    const deep = web.filter(
      ({ file, target }) =>
        inside(target!, 'console-kit') &&
        !['console-kit', 'console-kit/types', 'console-kit/texts'].includes(target!) &&
        !(target === 'console-kit/shell' && frame.test(file)),
    );
    expect(show(deep)).to.deep.equal([]);
  });

  describe('of a plugin', () => {
    const plugins = globSync('plugins/*/package.json', { cwd: root }).map((file) => dirname(file));
    const manifest = (plugin: string) => JSON.parse(text(join(plugin, 'package.json')));
    const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    const foreign = (files: ReadonlySet<string>) =>
      imports.filter(
        ({ file, specifier }) => files.has(file) && !specifier.startsWith('.') && !specifier.startsWith('node:'),
      );
    /** What runs in the service: whatever its index reaches. */
    const served = (file: string, found = new Set<string>()): Set<string> => {
      if (found.has(file)) return found;
      found.add(file);
      for (const { target } of imports.filter((one) => one.file === file))
        if (target?.endsWith('.ts')) served(target, found);
      return found;
    };

    it('uses no packages but those it declares, at work none that are for building only', () => {
      const wrong = plugins.flatMap((plugin) => {
        const { dependencies = {}, devDependencies = {} } = manifest(plugin);
        const own = new Set(sources.filter((file) => inside(file, plugin)));
        const undeclared = foreign(own).filter(
          ({ specifier }) => !(packageOf(specifier) in { ...dependencies, ...devDependencies }),
        );
        const unserved = foreign(served(`${plugin}/index.ts`)).filter(
          ({ specifier }) => !(packageOf(specifier) in dependencies),
        );
        return show([...undeclared, ...unserved]);
      });
      expect(wrong).to.deep.equal([]);
    });

    it('names no other plugin', () => {
      const wrong = plugins.flatMap((plugin) =>
        plugins
          .filter((other) => other !== plugin)
          .flatMap((other) =>
            [...served(`${plugin}/index.ts`)].filter((file) => text(file).includes(`'${other.split('/')[1]}'`)),
          ),
      );
      expect(wrong).to.deep.equal([]);
    });
  });

  it('keeps core from importing plugins, tests or benchmarks, and from naming a plugin', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        inside(file, 'core') &&
        target !== null &&
        !['core', 'plugin-sdk', 'config', 'migrations'].some((folder) => inside(target, folder)),
    );
    expect(show(wrong)).to.deep.equal([]);
    const plugins = globSync('plugins/*/package.json', { cwd: root }).map((file) => file.split('/')[1] ?? '');
    const naming = plugins.flatMap((plugin) =>
      sources.filter((file) => inside(file, 'core') && text(file).includes(`'${plugin}'`)),
    );
    expect(naming).to.deep.equal([]);
  });

  describe('of core', () => {
    /** Imports go down this list only, those of types alone included. */
    const floors = [
      'testing',
      'app',
      'run-kinds',
      'resources',
      'plugins',
      'http',
      'contents',
      'dispatch',
      'runner',
      'webhooks',
      'schedules',
      'runs',
      'surveys',
      'accounts',
      'scm',
      'inventory',
      'credentials',
      'notifications',
      'descriptors',
      'rbac',
      'audit',
      'hooks',
      'events',
      'nodes',
      'settings',
      'secrets',
      'queue',
      'yaml',
      'sandbox',
      'outbound',
      'db',
      'config',
      'observe',
    ];
    const folderOf = (file: string) => file.split('/')[1] ?? '';
    const own = imports.filter(
      ({ file, target }) => /^core\/[^/]+\//.test(file) && target && /^core\/[^/]+\//.test(target),
    );

    it('has its folders in one order, and no import goes up', () => {
      const folders = new Set(sources.filter((file) => /^core\/[^/]+\//.test(file)).map(folderOf));
      expect([...folders].toSorted()).to.deep.equal(floors.toSorted());
      expect(own.length).to.be.greaterThan(1000);
      const upward = own.filter(
        ({ file, target }) => floors.indexOf(folderOf(file)) > floors.indexOf(folderOf(target!)),
      );
      expect(show(upward)).to.deep.equal([]);
    });

    it('keeps at most 25 files of its own in a folder', () => {
      const counts = new Map<string, number>();
      for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
      expect([...counts].filter(([folder, count]) => !folder.startsWith('migrations') && count > 25)).to.deep.equal([]);
    });

    it('names a kind of runs in its own folder only', () => {
      const kinds = globSync('core/run-kinds/*/kind.ts', { cwd: root }).map((file) => ({
        folder: dirname(file),
        kind: /kind: '([a-z_]+)'/.exec(text(file))?.[1] ?? '',
      }));
      expect(kinds.map(({ kind }) => kind)).to.include.members(['job', 'project_update']);
      const named = kinds.flatMap(({ folder, kind }) =>
        sources
          .filter((file) => inside(file, 'core') && !inside(file, folder))
          .filter((file) => new RegExp(`['"\`]${kind}['"\`]`).test(text(file)))
          .map((file) => `${file} names ${kind}`),
      );
      expect(named).to.deep.equal([]);
    });

    it('names tables and templates of a kind, and a kind as a key, outside its folder only where there is a reason', () => {
      const kinds = globSync('core/run-kinds/*/kind.ts', { cwd: root }).map(text);
      const words = kinds.flatMap((kind) => [
        ...[...kind.matchAll(/kind: '([a-z]+_[a-z_]+)'/g)].map(([, name]) => new RegExp(`(?<![\\w.])(${name})\\??:`)),
        // projects are records that much else is about
        ...[...kind.matchAll(/template: '([a-z]+_[a-z_]+)'/g)].map(
          ([, name]) => new RegExp(`['"\`](${name})['"\`]|(?<![\\w.])${name}\\??:`),
        ),
      ]);
      words.push(/\b(workflow_job_(?:template_)?nodes)\b/);
      const named = sources
        .filter((file) => inside(file, 'core') && !inside(file, 'core/run-kinds'))
        .filter((file) => words.some((word) => word.test(text(file))));
      expect(named).to.have.members(Object.keys(namesKinds));
    });
  });

  it('has hardly any `any` in core, and in the SDK only the body that a test of a plugin reads', () => {
    const code = (file: string) => text(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
    const count = (folder: string) =>
      sources
        .filter((file) => inside(file, folder) && file.endsWith('.ts'))
        .map((file) => ({ file, count: code(file).match(/(?:[:<|&,(=]\s*|\bas )any\b(?!\s*\()/g)?.length ?? 0 }))
        .filter((one) => one.count);
    expect(
      count('core').reduce((sum, one) => sum + one.count, 0),
      JSON.stringify(count('core')),
    ).to.be.at.most(8);
    expect(count('plugin-sdk')).to.deep.equal([{ file: 'plugin-sdk/testing/core.ts', count: 1 }]);
  });

  it('lets nothing outside the runner know that a run is a process', () => {
    // db/ runs Postgres, scm/ git, credentials/ ssh-keygen, sandbox/ what evaluates expressions: none is a run
    const allowed = ['core/runner', 'core/app', 'core/db', 'core/scm', 'core/credentials', 'core/sandbox'];
    const wrong = imports.filter(
      ({ file, specifier }) =>
        inside(file, 'core') &&
        /^(node:)?child_process$/.test(specifier) &&
        !allowed.some((folder) => inside(file, folder)),
    );
    expect(show(wrong)).to.deep.equal([]);
  });

  it('keeps the container out of domain code', () => {
    const wrong = imports.filter(({ file, specifier }) => specifier === 'awilix' && !inside(file, 'core/app'));
    expect(show(wrong)).to.deep.equal([]);
  });

  it('starts programs with argument arrays, never by a shell', () => {
    const shells = all.filter(
      (file) =>
        file !== 'test/architecture.test.ts' &&
        /\b(exec|execSync)\s*\(\s*[`'"]|import \{[^}]*\b(exec|execSync)\b[^}]*\} from 'node:child_process'|shell: true/.test(
          text(file),
        ),
    );
    expect(shells).to.deep.equal([]);
  });

  it("has no barrel files but the SDK's and the kit's", () => {
    const barrels = sources.filter(
      (file) =>
        /(^|\/)index\.ts$/.test(file) &&
        !/^plugins\/[^/]+\/index\.ts$/.test(file) &&
        file !== 'plugin-sdk/index.ts' &&
        file !== 'console-kit/index.ts' &&
        file !== 'core/resources/index.ts',
    );
    expect(barrels).to.deep.equal([]);
  });
});

describe('the size of the sources', () => {
  const sizes = sources.map((file) => ({ file, lines: lines(file) })).toSorted((a, b) => a.lines - b.lines);
  const at = (share: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))]?.lines ?? 0;

  it('stays readable: median at most 80 lines, 95th percentile at most 300, none over 400', () => {
    expect(at(0.5), 'median').to.be.at.most(80);
    expect(at(0.95), '95th percentile').to.be.at.most(300);
    expect(sizes.filter((size) => size.lines > 400).map(({ file, lines }) => `${file}: ${lines}`)).to.deep.equal([]);
  });

  it('has no function of more than 50 lines: the linter holds that', () => {
    const { overrides } = JSON.parse(text('.oxlintrc.json')) as {
      overrides: { files: string[]; rules: Record<string, unknown> }[];
    };
    const rules = overrides.map(({ rules }) => rules['eslint/max-lines-per-function']).filter(Boolean);
    expect(rules).to.deep.equal([['error', { max: 50, skipBlankLines: true, skipComments: true }]]);
  });

  it("keeps a plugin's index within 80 lines", () => {
    const long = sources.filter((file) => /^plugins\/[^/]+\/index\.ts$/.test(file) && lines(file) > 80);
    expect(long).to.deep.equal([]);
  });
});

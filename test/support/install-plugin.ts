import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A built package as an operator installs it: JavaScript, and no SDK of its own. */
export function installPlugin(
  dataDir: string,
  id: string,
  { requires = [] as string[], body = '', manifest = '' } = {},
): void {
  const folder = join(dataDir, 'plugins', 'node_modules', `tapline-${id}`);
  mkdirSync(join(folder, 'migrations'), { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: `tapline-${id}`,
      version: '2.1.0',
      description: `What ${id} does.`,
      type: 'module',
      main: 'index.js',
      peerDependencies: { '@tapline/plugin-sdk': '^1.0.0' },
    }),
  );
  writeFileSync(
    join(folder, 'index.js'),
    `import { definePlugin, field, authenticated } from '@tapline/plugin-sdk';
export default definePlugin({
  id: '${id}', title: '${id}', version: '2.1.0', sdk: '^1.0.0', requires: ${JSON.stringify(requires)}, ${manifest} migrations: new URL('./migrations/', import.meta.url),
  register(api) {
    api.resource({ type: '${id}_note', path: '${id}_notes', table: 'notes', label: 'Note', orderBy: ['id'], fields: { text: field.text() }, access: { see: authenticated, create: authenticated } });
    api.settings.define({ key: '${id.toUpperCase()}_LIMIT', category: '${id}', type: 'integer', default: 1, help: 'A limit.' });
    ${body}
  },
});
`,
  );
  writeFileSync(
    join(folder, 'migrations', '0001_notes.js'),
    `export const up = (knex) => knex.schema.createTable('notes', (t) => { t.bigIncrements('id'); t.text('text'); });\n`,
  );
}

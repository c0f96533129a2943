import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const dist = folder('./dist/');

/** The same sources give the same bytes wherever they are built: a test compares them with what is committed. */
export const webConfig: InlineConfig = {
  configFile: false,
  root: folder('./web/'),
  publicDir: folder('./web/public/'),
  logLevel: 'warn',
  // what a developer's shell or .env says must not get into the files
  envDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** What the import map of index.html names: the modules of plugins share these with the console. */
const shared = ['console-kit', 'hooks', 'jsx-runtime', 'preact', 'signals'];
const named = (names: readonly string[], path: string) =>
  Object.fromEntries(names.map((name) => [name, folder(path.replace('*', name))]));

export async function buildConsole(outDir = dist): Promise<void> {
  await build({
    ...webConfig,
    mode: 'production',
    build: {
      outDir,
      emptyOutDir: true,
      rollupOptions: {
        input: { ...named(['index', 'browse'], './web/*.html'), ...named(shared, './web/kit/*.ts') },
        // what plugins import by name has to be there under its name
        preserveEntrySignatures: 'exports-only',
        output: {
          entryFileNames: ({ name }) => (shared.includes(name) ? 'kit/[name].js' : 'assets/[name]-[hash].js'),
        },
      },
      target: 'es2023',
      // a data: URL would be another source that the page's policy has to allow
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}

if (import.meta.main) await buildConsole();

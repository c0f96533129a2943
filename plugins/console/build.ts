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

export async function buildConsole(outDir = dist): Promise<void> {
  await build({
    ...webConfig,
    mode: 'production',
    build: {
      outDir,
      emptyOutDir: true,
      rollupOptions: { input: ['index.html', 'browse.html'].map((page) => folder(`./web/${page}`)) },
      target: 'es2023',
      // a data: URL would be another source that the page's policy has to allow
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}

if (import.meta.main) await buildConsole();

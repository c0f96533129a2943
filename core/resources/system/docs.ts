import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Call, notFound, type Reply, type Route } from '@tapline/plugin-sdk';
import { everybody } from '../../rbac/rules.ts';

const base = '/api/docs/';

/** Nothing from elsewhere, and nothing that the page does not need; the library sets styles on its elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tapline API</title>
<link rel="stylesheet" href="${base}swagger-ui.css/">
</head>
<body>
<main id="api"><noscript>The page needs scripts; the description itself is at /api/v2/openapi.json.</noscript></main>
<script src="${base}swagger-ui-bundle.js/"></script>
<script src="${base}start.js/"></script>
</body>
</html>
`;

/** Requests tried out on the page go by the session, whose writes need the token. */
const start = `SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  validatorUrl: null,
  requestInterceptor(request) {
    const [, token] = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie) ?? [];
    if (token) request.headers['X-CSRFToken'] = decodeURIComponent(token);
    return request;
  },
});
`;

const libraryFiles: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
};
const cached = { 'Cache-Control': 'public, max-age=86400' };

/** The description of the API for people, served whole by us. What it tells is asked for with the caller's own rights. */
export function docsRoutes(): Route[] {
  return [
    {
      path: base,
      access: { GET: everybody },
      summary: 'The description of the API as a page',
      formats: ['html'],
      answers: { GET: [{ media: 'text/html' }, { status: 302, empty: true }] },
      handler: showPage,
    },
    {
      path: `${base}:file/`,
      access: { GET: everybody },
      summary: 'What the page is made of',
      formats: ['html'],
      answers: { GET: Object.values(libraryFiles).map((media) => ({ media })) },
      handler: showFile,
    },
  ];
}

async function showPage({ actor }: Call): Promise<Reply> {
  const headers = { 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
  return actor
    ? { status: 200, body: page, type: 'text/html', headers }
    : { status: 302, headers: { Location: `/api/login/?next=${base}`, 'Cache-Control': 'no-cache' } };
}

async function showFile({ params }: Call): Promise<Reply> {
  const name = params['file']!;
  if (name === 'start.js') return { status: 200, body: start, type: 'text/javascript', headers: cached };
  const type = Object.hasOwn(libraryFiles, name) ? libraryFiles[name] : undefined;
  if (!type) throw notFound();
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  // it is large and rarely asked for: browsers keep it, we do not
  const file = await open(join(folder, name));
  return { status: 200, body: file.createReadStream(), type, headers: cached };
}

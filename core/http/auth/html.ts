import { createHash } from 'node:crypto';
import type { Context } from 'koa';

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; background: #f2f4f7; color: #14202e; margin: 0; }
  main { max-width: 24rem; margin: 10vh auto; padding: 2rem; background: #fff; border: 1px solid #c3cad3; border-radius: .5rem; }
  h1 { font-size: 1.4rem; margin: 0 0 1rem; }
  label { display: block; margin-top: 1rem; font-weight: 600; }
  input:not([type=hidden]) { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #66717f; border-radius: .25rem; }
  button { margin: 1.5rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; color: #fff; background: #0b5cad; border: 1px solid #0b5cad; border-radius: .25rem; }
  button.plain { color: #0b5cad; background: #fff; }
  :focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
  [role=alert] { padding: .5rem .75rem; border-left: .25rem solid #b3261e; background: #fdecea; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => entities[letter]!);

/** Hidden fields of a form. */
export const hiddenFields = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n');

interface Page {
  status: number;
  title: string;
  /** markup; everything from outside in it is escaped */
  content: string;
  /** where a form may lead besides here: browsers hold a redirect after it to this as well */
  formTargets?: string[];
}

/** A page without scripts, which nothing can be added to, nor can it be framed, kept or told of elsewhere. */
export function sendPage(ctx: Context, { status, title, content, formTargets = [] }: Page): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${["'self'", ...formTargets].join(' ')}; base-uri 'none'; frame-ancestors 'none'`,
  );
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('Cache-Control', 'no-store');
  // with the default `no-referrer` a browser's form would send `Origin: null`, which no check could accept
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Tapline</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

export function redirect(ctx: Context, location: string): void {
  ctx.body = null;
  ctx.status = 302;
  ctx.set('Location', location);
  ctx.set('Cache-Control', 'no-store');
}

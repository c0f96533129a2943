import type { Context } from 'koa';
import { escapeHtml, hiddenFields, sendPage } from './html.ts';

interface LoginPage {
  status: number;
  csrf: string;
  next: string;
  username?: string;
  problem?: string;
}

export function sendLoginPage(ctx: Context, { status, csrf, next, username = '', problem }: LoginPage): void {
  const alert = problem ? `<p role="alert" id="problem">${escapeHtml(problem)}</p>` : '';
  const described = problem ? ' aria-describedby="problem" aria-invalid="true"' : '';
  sendPage(ctx, {
    status,
    title: 'Log in',
    content: `${alert}
<form method="post" action="/api/login/">
${hiddenFields({ csrfmiddlewaretoken: csrf, next })}
<label for="username">User name</label>
<input id="username" name="username" value="${escapeHtml(username)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="150" required autofocus${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described}>
<button type="submit">Log in</button>
</form>`,
  });
}

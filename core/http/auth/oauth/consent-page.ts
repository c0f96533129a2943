import type { Context } from 'koa';
import { escapeHtml, hiddenFields, sendPage } from '../html.ts';
import type { AuthorizationRequest } from '../../../accounts/oauth/authorization-request.ts';

interface ConsentPage {
  request: AuthorizationRequest;
  username: string;
  fields: Record<string, string>;
}

export function sendConsentPage(
  ctx: Context,
  { request: { application, redirectUri, scope }, username, fields }: ConsentPage,
): void {
  const { protocol, origin } = new URL(redirectUri);
  const rights = scope.includes('write')
    ? 'see and change everything that you may see and change'
    : 'see everything that you may see';
  const name = escapeHtml(application.name || application.client_id);
  sendPage(ctx, {
    status: 200,
    title: 'Authorize an application',
    // an application of its own scheme has no origin
    formTargets: [origin === 'null' ? protocol : origin],
    content: `<p><strong>${name}</strong> asks to act as <strong>${escapeHtml(username)}</strong>: it could ${rights}.</p>
<p>You go on to ${escapeHtml(origin === 'null' ? protocol : origin)}.</p>
<form method="post" action="/api/o/authorize/">
${hiddenFields(fields)}
<button type="submit" name="decision" value="allow">Authorize</button>
<button type="submit" name="decision" value="deny" class="plain">Cancel</button>
</form>`,
  });
}

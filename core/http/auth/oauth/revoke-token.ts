import type { Context } from 'koa';
import type { AuthDeps } from '../auth-deps.ts';
import { tokenHash } from '../../../accounts/token.ts';
import { authenticateClient, parameters } from './authenticate-client.ts';

/** RFC 7009: ends an access token and what renews it, named by either. A token of nobody or of another client is as good as ended. */
export async function revokeToken({ db, audit, readForm }: AuthDeps, ctx: Context): Promise<void> {
  const body = parameters(await readForm(ctx));
  const application = await authenticateClient(db, ctx, body);
  const hash = tokenHash(body.token ?? '');
  const [ended] = await db('tokens')
    .where({ application_id: application.id })
    .where((any) =>
      any
        .where('token_hash', hash)
        .orWhereIn('id', db('oauth_refresh_tokens').select('token_id').where('token_hash', hash)),
    )
    .delete()
    .returning(['user_id', 'id']);
  if (ended)
    await audit({
      action: 'token_revoked',
      user_id: ended.user_id,
      token_id: ended.id,
      application_id: application.id,
      ip: ctx.ip,
      via: 'oauth',
    });
  ctx.body = null;
  ctx.status = 200;
}

import helmet from 'helmet';
import type { Middleware } from 'koa';

// TLS ends in front of us: whoever ends it decides whether every visit must use it
const secure = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
});

export const securityHeaders: Middleware = async (ctx, next) => {
  await new Promise<void>((resolve, reject) =>
    secure(ctx.req, ctx.res, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  await next();
};

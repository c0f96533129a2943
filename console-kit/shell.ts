/** What stands around the pages is made of: for the console itself, which is the only one to have it. */
export { connectLive, disconnectLive } from './api/live.ts';
export { expired, logIn, logOut, restore } from './api/session.ts';
export { Logo } from './components/logo.tsx';
export { Toasts } from './components/toasts.tsx';
export { makeRoutesKnown } from './plugins/known-pages.ts';
export { Contained, PluginFault } from './plugins/plugin-fault.tsx';
export { type PluginPages, pluginPagesAt, readPluginPages } from './plugins/plugin-pages.ts';
export { useModule } from './plugins/use-module.ts';
export { LeaveDialog } from './leaving/leave-dialog.tsx';
export { beforeLeaving } from './leaving/leaving.ts';
export { makeKnown } from './resources/links.ts';
export { followLinks, matchRoute, safeNext } from './router.ts';
export { speak } from './texts/speak.ts';

import { type Action, ApiError, type Row } from '@tapline/plugin-sdk';
import { auditor } from '../../rbac/rules.ts';

/** `install_bundle/` of a node: what sets up a machine that is no part of the service. Every node here is a process of the service, and brings itself. */
export const installBundleAction: Action = {
  access: { GET: auditor },
  summary: 'What installs a node of another kind: the nodes of this service need nothing of it',
  answers: { GET: [] },
  async handler(_call, { hostname, node_type: type }: Row & { hostname: string; node_type: string }) {
    throw new ApiError(400, {
      msg: `${hostname} is a ${type} node, which installs itself: only execution and hop nodes have a bundle.`,
    });
  },
};

import type { RunKind } from '@tapline/plugin-sdk';
import { adHocCommandKind, type CommandKindServices } from './ad-hoc-command/kind.ts';
import { inventoryUpdateKind, type InventoryUpdateServices } from './inventory-update/kind.ts';
import { jobKind, type JobKindServices } from './job/kind.ts';
import { projectUpdateKind, type ProjectUpdateServices } from './project-update/kind.ts';
import { systemJobKind, type SystemJobServices } from './system-job/kind.ts';
import { workflowApprovalKind } from './workflow-approval/kind.ts';
import type { ApprovalServices } from './workflow-approval/services.ts';
import { workflowJobKind } from './workflow-job/kind.ts';
import type { WorkflowServices } from './workflow-job/services.ts';

export type KindServices = CommandKindServices &
  InventoryUpdateServices &
  JobKindServices &
  ProjectUpdateServices &
  SystemJobServices &
  ApprovalServices &
  WorkflowServices;

/** Every kind of runs that core has, one line each. */
export const coreKinds = (services: KindServices): RunKind[] => [
  adHocCommandKind(services),
  inventoryUpdateKind(services),
  jobKind(services),
  projectUpdateKind(services),
  systemJobKind(services),
  workflowApprovalKind(services),
  workflowJobKind(services),
];

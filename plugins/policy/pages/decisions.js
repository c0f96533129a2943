import { pagesOf } from '@tapline/console-kit';
import { policy, policyDecision } from './resources.js';

pagesOf(policy);

export const routes = pagesOf(policyDecision);

import { pagesOf } from '@tapline/console-kit';
import { policy, policyWaiver } from './resources.js';

pagesOf(policy);

export const routes = pagesOf(policyWaiver);

/** Names of everything the query cache holds. Realtime patches by them, so pages must not invent their own. */
export const keys = {
  user: ['user'],
  settings: ['settings'],
  teams: ['teams'],
  teamTypes: ['team-types'],
  teamBySlug: (slug: string) => ['team-by-slug', slug],
  team: (id: string) => ['team', id],
  teamMembers: (id: string) => ['team', id, 'members'],
  teamApplications: (id: string) => ['team', id, 'applications'],
  teamInstances: (id: string) => ['team', id, 'instances'],
  application: (id: string) => ['application', id],
  applicationInstances: (id: string) => ['application', id, 'instances'],
  instance: (id: string) => ['instance', id],
  instanceUsage: (id: string) => ['instance', id, 'usage'],
  instanceJobs: (id: string) => ['instance', id, 'jobs'],
  audit: (scope: 'team' | 'project', id: string, ...filters: unknown[]) => [
    scope === 'team' ? 'team' : 'instance',
    id,
    'audit',
    ...filters,
  ],
  catalogue: (list: 'types' | 'stacks' | 'templates', ...filters: unknown[]) => ['catalogue', list, ...filters],
} as const

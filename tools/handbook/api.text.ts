/** Headings of the nouns of the API, where the first part of their calls' names does not do. */
export const nounNames: Record<string, string> = {
  setup: 'Set-up',
  settings: 'Platform settings',
  secondFactor: 'Second factors',
  tokens: 'Access tokens',
  oauth: 'Editor sign-in',
  user: 'Users',
  team: 'Teams',
  invitation: 'Invitations',
  application: 'Applications',
  instanceType: 'Instance types',
  stack: 'Stacks',
  template: 'Templates',
  instance: 'Instances',
  ha: 'High availability',
  snapshot: 'Snapshots',
  deployment: 'Deployments',
  device: 'Devices',
  deviceLink: 'Device agents',
  pipeline: 'Pipelines',
  provisioning: 'Provisioning tokens',
  version: 'Versions',
  deleted: 'Deleted instances',
  runtime: 'Instance runtime',
  instanceLibrary: 'Library of an editor',
  library: 'Team library',
  backup: 'Backups',
  job: 'Jobs',
  debug: 'Debugging',
  auditLog: 'Audit logs',
  licence: 'Licence',
  admin: 'Administration',
  stats: 'Statistics',
}

/** The text above the list of calls. */
export const apiIntro = `# API reference

The console uses this API, and so can your scripts. Every call sends and receives JSON.

## Sign in

Create a token under *User Settings → Security → Access tokens*. Send it with each request:

\`\`\`sh
curl -H "Authorization: Bearer ffpat_…" https://forge.example.com/api/v1/user
\`\`\`

A token has the scopes that you choose and never an administrator's rights. [Access tokens](/docs/access-tokens) says more.

## Errors

An error has a code, a sentence and the HTTP status. Match the code: sentences may change.

\`\`\`json
{
  "code": "invalid_slug",
  "error": "This slug is not available",
  "message": "This slug is not available",
  "statusCode": 409,
  "fields": { "slug": "This slug is not available" }
}
\`\`\`

Besides the errors that a call lists, every call may answer \`unauthorized\` (401 or 403), \`not_found\` (404) and
\`invalid_request\` (400). [Troubleshooting](/docs/troubleshooting) explains each code.

## Lists

A list answers one page. Ask for the next one with the \`cursor\` that the reply names, and set the size with \`limit\`.

## OpenAPI

This platform serves the same contract as [OpenAPI 3.1](/api/openapi.json), for generators and API clients, and as
[one page with full schemas](/api/).

## Calls
`

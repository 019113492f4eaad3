/**
 * One rule about who may import whom. Paths are relative to the root; a library is `node_modules/<name>/`,
 * a module of Node.js itself is `node:<name>`. `$1`, `$2` in `to` and `toNot` stand for the groups of `from`.
 */
export type ImportRule = {
  name: string
  from: RegExp
  fromNot?: RegExp
  to: string
  toNot?: string
  /** The remedy, shown with each finding. */
  instead: string
}

/** Findings of these names come from the reader itself, not from the table. */
export const readerRules = ['no-unresolvable', 'no-cycles', 'libraries-are-declared'] as const

const concrete = '(local|docker|kubernetes|stub)'
const support = '(audit|mail|realtime)'
const tests = /(\.test\.tsx?$|\/testing\/)/

export const importRules: ImportRule[] = [
  {
    name: 'contract-is-pure',
    from: /^packages\/contract\//,
    fromNot: tests,
    to: '.',
    toNot: '^(packages/contract/|node_modules/zod/)',
    instead: 'the contract is loaded by browsers and agents: it may use zod alone',
  },
  {
    name: 'packages-never-import-apps',
    from: /^packages\//,
    to: '^(apps|e2e|bench)/',
    instead: 'move what is shared into a package, or pass it in as an argument',
  },
  {
    name: 'packages-know-only-the-contract',
    from: /^packages\/([^/]+)\//,
    to: '^packages/',
    toNot: '^packages/($1|contract)/',
    instead: 'packages are strangers to each other: agree on a shape in the contract',
  },
  {
    name: 'server-does-not-run-node-red',
    from: /^apps\/server\//,
    to: '^packages/nodered/',
    instead: 'ask the driver, or the instance over its link',
  },
  {
    name: 'runtime-needs-no-drivers',
    from: /^apps\/(instance-runtime|broker)\//,
    to: '^packages/drivers/',
    instead: 'what both sides need belongs in the contract',
  },
  {
    name: 'agent-runs-local-processes',
    from: /^apps\/agent\//,
    fromNot: tests,
    to: '^packages/',
    toNot: '^packages/(contract/|drivers/src/([^/]+\\.ts$|judging/|local/index\\.ts$))',
    instead: 'an agent has the local driver and the contract; Node-RED runs in the process that the driver starts',
  },
  {
    name: 'drivers-are-strangers',
    from: new RegExp(`^packages/drivers/src/${concrete}/`),
    to: `^packages/drivers/src/${concrete}/`,
    toNot: '^packages/drivers/src/$1/',
    instead: 'move what two drivers share beside driver.ts',
  },
  {
    name: 'apps-are-strangers',
    from: /^apps\/([^/]+)\//,
    to: '^apps/',
    toNot: '^apps/$1/',
    instead: 'apps talk over the contract, not over imports',
  },
  {
    name: 'platform-knows-no-feature',
    from: /^apps\/server\/src\/platform\//,
    to: '^apps/server/src/features/',
    instead: 'let the feature register itself with the platform',
  },
  {
    name: 'features-meet-at-the-door',
    from: /^apps\/(server|web)\/src\/features\/([^/]+)\//,
    to: '^apps/$1/src/features/[^/]+/',
    toNot: '^apps/$1/src/features/($2/|[^/]+/index\\.tsx?$)',
    instead: "import the other feature's index.ts, and export there what it offers",
  },
  {
    name: 'support-features-stay-below',
    from: new RegExp(`^apps/server/src/features/${support}/`),
    fromNot: tests,
    to: '^apps/server/src/features/',
    toNot: `^apps/server/src/features/${support}/`,
    instead: 'audit, mail and realtime are used by features and use none',
  },
  {
    name: 'routes-do-not-touch-the-store',
    from: /\.routes\.ts$/,
    to: '\\.store\\.ts$',
    instead: 'call the service: rules and permissions live there',
  },
  {
    name: 'drivers-chosen-in-one-place',
    from: /^apps\/server\//,
    fromNot: /^apps\/server\/(src\/drivers\.ts$|testing\/)/,
    to: `^packages/drivers/src/${concrete}/`,
    instead: 'take the driver interface as an argument; src/drivers.ts chooses',
  },
  {
    name: 'web-is-a-browser',
    from: /^apps\/web\/src\//,
    fromNot: tests,
    to: '^(packages/|node:)',
    toNot: '^packages/(contract|client)/',
    instead: 'a browser has no Node.js and no drivers: ask the server',
  },
  {
    name: 'web-ui-is-generic',
    from: /^apps\/web\/src\/(ui|lib)\//,
    to: '^apps/web/src/features/',
    instead: 'components and helpers carry no business words: pass data in',
  },
  {
    name: 'harness-uses-the-testing-door',
    from: /^(e2e|bench)\//,
    to: '^apps/',
    toNot: '^apps/server/testing/(index|providers)\\.ts$',
    instead: 'export what is needed from apps/server/testing/index.ts, or from providers.ts beside it',
  },
  {
    name: 'no-testing-in-product',
    from: /^(apps|packages)\/[^/]+\/src\//,
    fromNot: /(\.test\.tsx?$|\/testing\/|^packages\/drivers\/src\/conformance)/,
    to: '(/testing/|/conformance[^/]*\\.ts$|\\.test\\.tsx?$|^node_modules/vitest/)',
    instead: 'product code must run without the test tools',
  },
  {
    name: 'tools-stay-outside',
    from: /^(apps|packages)\/[^/]+\/src\//,
    fromNot: tests,
    to: '^(tools|e2e|bench)/',
    instead: 'the product does not depend on how it is built and checked',
  },
]

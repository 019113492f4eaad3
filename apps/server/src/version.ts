import manifest from '../package.json' with { type: 'json' }

/** Version of the platform. */
export const version: string = manifest.version

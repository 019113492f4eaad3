/** The context that ties a sealed credential secret to its instance. */
export const secretContext = (id: string) => `instance:${id}:credential-secret`
/** The context that ties what the processes of an instance show to the platform to it. */
export const accessContext = (id: string) => `instance:${id}:access`

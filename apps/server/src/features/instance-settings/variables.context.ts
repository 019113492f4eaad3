/** The context that ties a sealed variable to its instance and name. */
export const variableContext = (id: string, name: string) => `instance:${id}:env:${name}`

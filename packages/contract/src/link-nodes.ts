/** Packages of the nodes for messages, which the platform brings itself: nobody adds them to a palette (PAL-07). */
export const reservedModules: readonly string[] = ['@flowforge/nr-project-nodes', '@flowfuse/nr-project-nodes']

/** The types of these nodes. */
export const linkNodeTypes: readonly string[] = ['project link in', 'project link out', 'project link call']

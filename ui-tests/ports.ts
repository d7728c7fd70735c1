/** From the port of one server to that of the next; a test may use the one between. */
export const PORT_STEP = 2;

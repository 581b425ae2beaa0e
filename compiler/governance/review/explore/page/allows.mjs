/** Whether a decision allows: nothing looser counts. */
export const allows = (decision) => decision?.allowed === true;

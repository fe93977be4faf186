import UIKit

class ProductsViewController: UITableViewController {
    @IBAction func cancelled(_ segue: UIStoryboardSegue) {}
}
